/**
 * Has the built page run the chunk that starts the worker as soon as it is there, beside the rest of the page's code and
 * before it: that imports the same chunk.
 */
export default function workerFirst() {
  return {
    name: 'worker-first',
    apply: 'build',
    transformIndexHtml(_, { bundle = {} }) {
      const chunk = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === 'client');
      if (!chunk) throw new Error('the page has no chunk of its own that starts the worker');
      return [{ tag: 'script', attrs: { type: 'module', async: true, crossorigin: true, src: `./${chunk.fileName}` }, injectTo: 'head-prepend' }];
    },
  };
}
