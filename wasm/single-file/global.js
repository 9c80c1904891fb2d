// The same as a global variable, for pages whose scripts are no modules.
import { Classifier, createWorkerClient, load, Model, TamisError } from './bundle.js';

globalThis.tamis = { Classifier, createWorkerClient, load, Model, TamisError };
