// Every state of the page on small screens: no complaint, nothing that axe-core finds wrong, nothing beyond the edge. With
// TAMIS_LOOKS=all, which the target tamis_screenshots sets, wide ones too and each light and dark; the pictures stay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bringAbout, states } from './states.mjs';
import { axeViolations, screenshot, stage, withinTheScreen } from './support.mjs';

const { withPage } = stage();
const looks = process.env.TAMIS_LOOKS === 'all'
  ? [320, 390, 1280].flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme })))
  : [{ width: 320, colorScheme: 'light' }, { width: 390, colorScheme: 'dark' }];

for (const state of states)
  test(`${state.name}: accessible and within the screen`, async () => {
    for (const { width, colorScheme } of looks)
      await withPage(async (page) => {
        await bringAbout(state, page);
        await screenshot(page, `state-${state.name}-${width}-${colorScheme}`);
        assert.deepEqual(await axeViolations(page), [], `${width}, ${colorScheme}`);
        await withinTheScreen(page, width);
        assert.deepEqual(page.complaints, []);
      }, {
        at: state.at,
        prepare: async (page) => {
          await page.setViewportSize({ width, height: width === 1280 ? 900 : width === 390 ? 844 : 640 });
          await page.emulateMedia({ colorScheme });
        },
      });
  });
