import type { INodeProperties } from 'n8n-workflow';

import { fan } from '../../../sandbox/host';
import type { NodeDetails } from '../../../sandbox/editor';
import { chosen, noticesIn, operationsOf, properties, shownIn } from '../../description/editor';
import { type State, states } from '../../description/states';
import { complaintsOf, labelOf, openEditorBench, pictureOfTest, resourceParameter } from '../support/editor';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';

/* The fields that a person sees in n8n's editor, for every operation and every choice in it. */

const bench = duringTests(async () => await openEditorBench('editor-fields'));
let details: NodeDetails;

beforeAll(async () => {
	const { api, credential, editor } = bench;
	const { id } = await api.createWorkflow(fan('Fields', [{ name: 'Node', parameters: {} }], credential));
	await editor.openWorkflow(id);
	details = await editor.openNode('Node');
});
afterEach(async () => await pictureOfTest(bench.editor));

const pathOf = ({ resource, operation }: State) => `${resource}/${operation}`;

test.each([...new Set(states.map(pathOf))])(
	'%s shows the fields of the description for every choice in it',
	async (path) => {
		const its = states.filter((state) => pathOf(state) === path);
		await switchTo(its[0]!.resource, its[0]!.operation);
		for (const state of its) {
			for (const [name, value] of Object.entries(state.choices)) await set(parameterIn(state, name), value);
			await eventually(async () => {
				const shown = { fields: await details.fields(), notices: await details.notices() };
				expect({ state: state.title, ...shown }).toEqual({ state: state.title, ...wantedIn(state) });
			});
		}
	},
);

test('the browser logs no errors while all fields are shown', () => {
	expect(complaintsOf(bench.editor)).toEqual([]);
});

const parameterIn = (state: State, name: string) =>
	shownIn(chosen(state)).find((each) => each.name === name)!;

/** The fields that the table expects for a state, with the labels of the description. */
function wantedIn(state: State) {
	const labels = new Map(shownIn(chosen(state)).map(({ name, displayName }) => [name, displayName]));
	const notices = noticesIn(chosen(state)).map(
		(notice) => properties.find(({ name }) => name === notice)!.displayName,
	);
	return {
		fields: [
			{ name: 'resource', label: 'Resource' },
			{ name: 'operation', label: 'Operation' },
			...state.shown.map((name) => ({ name, label: labels.get(name) })),
		],
		notices,
	};
}

async function switchTo(resource: string, operation: string): Promise<void> {
	await details.choose('resource', labelOf(resourceParameter, resource));
	const options = operationsOf(resource);
	// The Operation parameter of the previous resource stays visible for a moment.
	await eventually(async () =>
		expect(options.map(({ name }) => name)).toContain(await details.value('operation')),
	);
	await details.choose('operation', labelOf({ options }, operation));
}

async function set(parameter: INodeProperties, value: unknown): Promise<void> {
	const { name, type } = parameter;
	if (type === 'boolean') {
		if ((await details.isOn(name)) !== value) await details.toggle(name);
	} else if (type === 'multiOptions') {
		const wanted = (value as string[]).map((each) => labelOf(parameter, each));
		const present = await details.chosen(name);
		const different = [
			...wanted.filter((label) => !present.includes(label)),
			...present.filter((label) => !wanted.includes(label)),
		];
		for (const label of different) await details.toggleOption(name, label);
	} else {
		await details.choose(name, labelOf(parameter, value));
	}
}
