import { stopSharedHost } from './bench';

/** Runs once after all test files. */
export default stopSharedHost;
