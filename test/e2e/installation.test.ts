import { createRequire } from 'node:module';
import { join } from 'node:path';

import { hostFolder, packageName } from '../../sandbox/host';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

const bench = duringTests(openBench);

test("the package runs with the host's own n8n-workflow, as in every installation", () => {
	const installed = join(bench.userFolder, '.n8n', 'nodes', 'node_modules', packageName, 'index.js');
	const found = createRequire(installed).resolve('n8n-workflow');
	expect(found).toBe(createRequire(join(hostFolder, 'package.json')).resolve('n8n-workflow'));
});
