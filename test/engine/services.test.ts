import type { IDataObject } from 'n8n-workflow';

import { serviceFailed } from '../../nodes/ChatbotService/client/failure/failure';
import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { SERVICES } from '../../sandbox/emulator/services';
import { isReading, operations } from '../operations';
import { modes, runAll } from './everyOperation';
import { credentialFor } from './harness';
import { scene, usual } from './scene';

/* The services have one API, but differ in some answers and requirements. */

const { service, run } = scene(usual('listSchema/create'));

/** OneBot and LEADTEX say less and more of a variable than its ID, name and value. */
const asEverywhere = ({ deletable: _, created_at: _c, updated_at: _u, variable: _v, ...row }: IDataObject) =>
	row;

/** What all operations read, those that change something after the others. Each of them succeeds. */
async function outputsAt(emulator: Emulator) {
	const read = await runAll(emulator, modes[0]!, { chosen: operations.filter(isReading) });
	const chosen = operations.filter((each) => !isReading(each));
	const changed = await runAll(emulator, modes[0]!, { chosen });
	emulator.assertContract();
	expect([...read, ...changed].filter(({ result }) => result.error)).toEqual([]);
	return read.map(({ title, result }) => [title, ...result.json.map(asEverywhere)]);
}

test('each operation reads the same at each service', async () => {
	const usually = await outputsAt(service);
	for (const name of Object.keys(SERVICES)) {
		const emulator = await startEmulator({ service: name });
		const outputs = await outputsAt(emulator).finally(async () => await emulator.stop());
		expect([name, outputs]).toEqual([name, usually]);
	}
});

test('answers with empty errors are successes', async () => {
	service.dialect.answers = 'wrapped';
	const wrapped = await outputsAt(service);
	service.reset();
	expect(wrapped).toEqual(await outputsAt(service));
});

test('a new list outside the menu is created at LEADTEX', async () => {
	service.dialect.newList = 'inMenu';
	expect((await run({ with: { showInMenu: false, botId: '' } })).error).toBeUndefined();
});

/* The API does not document the answers to most changes. Bodies: unit/answerRows.test.ts. */
test('a change that is answered with no content is done', async () => {
	service.faults.add({ kind: 'answer', when: 'after', status: 204, body: '' });
	expect((await run({ parameters: usual('tag/attach') })).json).toEqual([{ success: true }]);
});

/* At LEADTEX, the token may belong into the query. */
test.each(['bearer', 'query'])('a 500 says so only of a token in a header: %s', async (tokenPlacement) => {
	service.dialect.header = 'ignored';
	if (tokenPlacement === 'query') service.faults.add({ kind: 'server error' });
	const credential = credentialFor(service, { tokenPlacement });
	const { error } = await run({ parameters: usual('message/send'), credential });
	expect(error?.message).toBe(`${serviceFailed(500).message} [Item 0]`);
	const isSaid = error?.description?.includes("choose Query Parameter under 'Token Placement'");
	expect(isSaid).toBe(tokenPlacement === 'bearer');
});
