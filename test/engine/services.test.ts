import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { serviceFailed, valuesMissing } from '../../nodes/ChatbotService/client/failure/failure';
import { isReading, operationOf, operations, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { modes, runAll } from './everyOperation';
import { startEmulator } from '../../sandbox/emulator';
import { SERVICES } from '../../sandbox/emulator/services';
import { credentialFor, runNode, useEmulator } from './harness';

/* The services have one API, but differ in some answers and requirements. */

const service = useEmulator();

test('answers with empty errors, as at LEADTEX, are successes with the same output', async () => {
	const outputs = async () => {
		const attempts = await runAll(service, modes[0]!, { chosen: operations.filter(isReading) });
		return attempts.map(({ title, result }) => [title, result.json]);
	};
	const usual = await outputs();
	service.dialect.answers = 'wrapped';
	expect(await outputs()).toEqual(usual);
	const errors = (await runAll(service, modes[0]!)).map(({ title, result }) => [title, result.error]);
	expect(errors).toEqual(operations.map(({ title }) => [title, undefined]));
});

const createList = async (changes: INodeParameters) => {
	const usual = parametersOf(operationOf('listSchema/create').variants[0]!);
	return await runNode({ parameters: { ...usual, ...changes }, credential: credentialFor(service) });
};

test.each<[string, 'ofBot' | 'inMenu', string, string]>([
	['without a bot at WatBot', 'ofBot', 'botId', ''],
	['without a word about the menu at LEADTEX', 'inMenu', 'showInMenu', '={{ $json.missing }}'],
])('a new list %s is refused by the name of the field', async (_, newList, field, value) => {
	service.dialect.newList = newList;
	const { error } = await createList({ [field]: value });
	const { message } = valuesMissing(422, [labelOf('listSchema/create', field)], '');
	expect(error?.message).toBe(`${message} [Item 0]`);
});

test('a new list that is not in the menu is created at LEADTEX', async () => {
	service.dialect.newList = 'inMenu';
	expect((await createList({ showInMenu: false, botId: '' })).error).toBeUndefined();
});

test.each<[string, string, boolean]>([
	['says that the token may belong into the query, as at LEADTEX, if it is in a header', 'bearer', true],
	['does not say so of a token in the query', 'query', false],
])('a 500 %s', async (_, tokenPlacement, isSaid) => {
	service.dialect.header = 'ignored';
	if (tokenPlacement === 'query') service.faults.add({ kind: 'server error' });
	const { error } = await runNode({
		parameters: parametersOf(operationOf('message/send').variants[0]!),
		credential: credentialFor(service, { tokenPlacement }),
	});
	expect(error?.message).toBe(`${serviceFailed(500).message} [Item 0]`);
	const advice = "choose Query Parameter under 'Token Placement'";
	expect(error?.description?.includes(advice)).toBe(isSaid);
});

test.each(Object.keys(SERVICES))(
	'at %s, each operation succeeds, and what is read is the same',
	async (name) => {
		const outputsAt = async (options: Parameters<typeof startEmulator>[0]) => {
			const emulator = await startEmulator(options);
			try {
				const read = await runAll(emulator, modes[0]!, { chosen: operations.filter(isReading) });
				const changed = await runAll(emulator, modes[0]!, {
					chosen: operations.filter((each) => !isReading(each)),
				});
				emulator.assertContract();
				expect([...read, ...changed].filter(({ result }) => result.error)).toEqual([]);
				return read.map(({ title, result }) => [title, ...result.json.map(asEverywhere)]);
			} finally {
				await emulator.stop();
			}
		};
		expect(await outputsAt({ service: name })).toEqual(await outputsAt({}));
	},
);

/** OneBot and LEADTEX say less and more of a variable than its ID, name and value. */
const asEverywhere = ({
	deletable: _,
	created_at: _created,
	updated_at: _updated,
	variable: __,
	...row
}: IDataObject) => row;
