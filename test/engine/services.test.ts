import type { INodeParameters } from 'n8n-workflow';

import { serviceFailed, valuesMissing } from '../../nodes/ChatbotService/client/failure';
import { byTitle, operationOf, operations, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { runAll } from './everyOperation';
import { credentialFor, runNode, useEmulator } from './harness';

/* The services have one API, but differ in some answers and requirements. */

const service = useEmulator();

const run = async (parameters: INodeParameters, credential = {}) =>
	await runNode({ parameters, credential: credentialFor(service, credential) });

test('every operation succeeds if the answers have empty errors, as at LEADTEX', async () => {
	service.dialect.answers = 'wrapped';
	const attempts = await runAll(service, ['stop', undefined]);
	const failed = attempts.filter(({ result }) => result.error);
	expect(failed.map(({ title, result }) => [title, result.error])).toEqual([]);
	expect(attempts).toHaveLength(operations.length);
});

test.each(byTitle(operations.filter(({ answer }) => answer === 'many' || answer === 'one')))(
	'the output of %s is the same then',
	async (_, { variants: [usual] }) => {
		const { json: before } = await run(parametersOf(usual!));
		service.dialect.answers = 'wrapped';
		const { json: after } = await run(parametersOf(usual!));
		expect(after).toEqual(before);
	},
);

describe('a new list', () => {
	const [usual] = operationOf('listSchema/create').variants;
	const parameters = { ...parametersOf(usual!), botId: '', showInMenu: false };

	test('without a bot is refused by name, as at WatBot', async () => {
		service.dialect.newList = 'ofBot';
		const { error } = await run(parameters);
		const { message } = valuesMissing(422, [labelOf('listSchema/create', 'botId')], '');
		expect(error?.message).toBe(`${message} [Item 0]`);
	});

	test('always says whether it is in the menu, which LEADTEX requires', async () => {
		service.dialect.newList = 'inMenu';
		expect((await run(parameters)).error).toBeUndefined();
	});

	test('without a word about the menu is refused by name', async () => {
		service.dialect.newList = 'inMenu';
		const { error } = await run({ ...parameters, showInMenu: '={{ $json.missing }}' });
		const { message } = valuesMissing(422, [labelOf('listSchema/create', 'showInMenu')], '');
		expect(error?.message).toBe(`${message} [Item 0]`);
	});
});

describe('a 500', () => {
	const parameters = parametersOf(operationOf('tag/getManyByBot').variants[0]!);

	test('says that the token may belong into the query, as at LEADTEX', async () => {
		service.dialect.header = 'ignored';
		const { error } = await run(parameters, { tokenPlacement: 'bearer' });
		expect(error?.message).toBe(`${serviceFailed(500).message} [Item 0]`);
		expect(error?.description).toContain("choose Query Parameter under 'Token Placement'");
	});

	test('says so, but no other status does', async () => {
		service.faults.add({ kind: 'unavailable' });
		const { error } = await run(parameters, { tokenPlacement: 'bearer' });
		expect(error?.description).not.toContain('Token Placement');
	});

	test('does not say so of a token in the query', async () => {
		service.faults.add({ kind: 'server error' });
		const { error } = await run(parameters);
		expect(error?.description).not.toContain('Token Placement');
	});
});
