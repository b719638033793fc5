import { stopSharedHost } from './bench';

/** Done once after all test files. */
export default stopSharedHost;
