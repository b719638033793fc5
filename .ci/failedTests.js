const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');

/** Lists the failed tests in the file that FAILED_TESTS names: in each line a test file, a tab and the name of a test. */
module.exports = class {
	onRunComplete(_contexts, { testResults }) {
		const lines = testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => {
			const names = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
			if (testExecError && !names.length) names.push('the file itself');
			return names.map((name) => `${relative('', testFilePath)}\t${name.replace(/\s+/g, ' ')}\n`);
		});
		writeFileSync(process.env.FAILED_TESTS, lines.join(''));
	}
};
