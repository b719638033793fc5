import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { NodeDetails } from '../../sandbox/editor';
import { chosen, operationsOf, properties, shownIn } from '../description/editor';
import { cases, operations, type Case } from '../description/table';
import { type EditorBench, openEditorBench, pictured } from './support/editor';
import { eventually } from './support/eventually';
import { chain } from './support/workflow';

let bench: EditorBench;
beforeAll(async () => {
	bench = await openEditorBench('editor');
});
afterAll(async () => await bench?.stop());

describe('every operation shows the fields that the description wants', () => {
	let details: NodeDetails;
	beforeAll(async () => {
		const { api, editor } = bench;
		const [credential] = await api.credentials();
		const { id } = await api.createWorkflow(chain('Fields', [{ name: 'Node', parameters: {} }], credential!));
		await editor.openWorkflow(id);
		details = await editor.openNode('Node');
	});

	test.each(operations.map(({ resource, operation, label }) => ({ resource, operation, label })))(
		'$resource: $label',
		async ({ resource, operation }) => {
			await pictured(bench.editor, async () => {
				await switchTo(details, resource, operation);
				const states = cases.filter((each) => each.resource === resource && each.operation === operation);
				expect(states).not.toEqual([]);
				for (const state of states) {
					for (const [name, value] of Object.entries(state.choices)) {
						await set(details, property(state, name), value);
					}
					await eventually(async () =>
						expect([state.title, await details.fields()]).toEqual([state.title, wanted(state)]),
					);
				}
			});
		},
	);
});

/** Resource and Operation, and what the table wants for a state, with the labels of the description. */
function wanted(state: Case) {
	const shown = shownIn(chosen(state)).filter(({ type }) => type !== 'notice');
	const fields = state.shown.map((name) => ({
		name,
		label: shown.find((each) => each.name === name)?.displayName,
	}));
	return [{ name: 'resource', label: 'Resource' }, { name: 'operation', label: 'Operation' }, ...fields];
}

const property = (state: Case, name: string) => shownIn(chosen(state)).find((each) => each.name === name)!;

const labelOf = (options: INodeProperties['options'], value: unknown) =>
	(options as INodePropertyOptions[]).find((option) => option.value === value)!.name;

const resourceParameter = properties.find(({ name }) => name === 'resource')!;

async function switchTo(details: NodeDetails, resource: string, operation: string): Promise<void> {
	await details.choose('resource', labelOf(resourceParameter.options, resource));
	const operationParameter = properties.find(
		({ name, displayOptions }) => name === 'operation' && displayOptions!.show!.resource!.includes(resource),
	)!;
	const options = operationsOf(resource);
	// The Operation parameter of the resource before is still there for a moment.
	await eventually(async () =>
		expect(options.map(({ name }) => name)).toContain(await details.value('operation')),
	);
	expect(operationParameter).toBeDefined();
	await details.choose('operation', labelOf(options, operation));
}

async function set(
	details: NodeDetails,
	{ name, type, options }: INodeProperties,
	value: unknown,
): Promise<void> {
	if (type === 'boolean') {
		if ((await details.isOn(name)) !== value) await details.toggle(name);
	} else if (type === 'multiOptions') {
		const labels = (value as string[]).map((each) => labelOf(options, each));
		const present = await details.chosen(name);
		const different = [...labels, ...present].filter(
			(label) => labels.includes(label) !== present.includes(label),
		);
		for (const label of different) await details.toggleOption(name, label);
	} else {
		await details.choose(name, labelOf(options, value));
	}
}
