export * from './api';
export { type Log, runCommand, tail } from './command';
export { ensureHostInstalled } from './install';
export { installPackage, packageName, type PackedPackage, packPackage } from './packaging';
export { hostFolder, projectFolder, sandboxFolder } from './paths';
export { freePort } from './ports';
export { type Host, type HostOptions, startHost } from './process';
export { registerPackage } from './registration';
export { stopwatch } from './time';
