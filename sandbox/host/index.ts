export { poll, until } from '../processes/poll';
export { freePort } from '../processes/ports';
export * from './api';
export { ensureHostInstalled } from './install';
export { installPackage, packageName, type PackedPackage, packPackage } from './packaging';
export { hostFolder, projectFolder, sandboxFolder } from './paths';
export { type Host, image, startHost, startWorker } from './process';
export * from './workflows';
