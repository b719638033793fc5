import type { INodeTypeDescription } from 'n8n-workflow';

import { DEFAULT_TOKEN } from '../../../sandbox/emulator';
import {
	boldIn,
	descriptionOf,
	isNote,
	isOurs,
	issuesOf,
	keptParameters,
	sectionOf,
} from '../support/exampleFiles';
import { files, openExamples } from '../support/examples';

const { nodeTypes } = openExamples();
let known: INodeTypeDescription[];

beforeAll(async () => {
	known = await nodeTypes();
});

describe.each(files.map((each) => [each.file, each] as const))('%s', (file, { text, workflow }) => {
	const notes = workflow.nodes.filter(isNote);
	const others = workflow.nodes.filter((node) => !isNote(node));

	test('the example is described in the README, under the names of its nodes, and by notes on the canvas', () => {
		const section = sectionOf(file);
		expect(section.length).toBeGreaterThan(300);
		expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(boldIn(section)));
		const [about] = notes;
		expect(about?.parameters.content).toMatch(new RegExp(`^## ${workflow.name}\n`));
		for (const { parameters } of notes) expect(parameters.content).toMatch(/^##/);
	});

	test('the example contains no account data and is not active', () => {
		for (const node of workflow.nodes) {
			for (const { id } of Object.values(node.credentials ?? {})) expect(id).toBeNull();
			if (isOurs(node))
				expect(node.credentials).toEqual({ chatbotServiceApi: { id: null, name: 'Chatbot Service' } });
		}
		expect(text).not.toContain(DEFAULT_TOKEN);
		expect(text).not.toMatch(/localhost|127\.0\.0\.1|instanceId/);
		expect(Object.keys(workflow).sort()).toEqual(['connections', 'name', 'nodes', 'pinData', 'settings']);
		expect(workflow.pinData).toEqual({});
	});

	test('the example uses node types and values that the pinned n8n knows, and loses no refused item', () => {
		for (const node of workflow.nodes) {
			const { name, type, onError } = node;
			const description = descriptionOf(node, known);
			expect([name, description?.name]).toEqual([name, type]);
			expect([name, issuesOf(node, description!)]).toEqual([name, {}]);
			if (!isOurs(node)) continue;
			// What the editor does not show is lost when it saves the workflow.
			const kept = keptParameters(node, description!);
			expect([name, kept]).toEqual([name, expect.objectContaining(node.parameters)]);
			// Without its list, a broadcast cannot begin.
			const isList = node.parameters.resource === 'contact' && node.parameters.operation === 'getAll';
			if (!type.endsWith('Tool') && !isList)
				expect([name, onError]).toEqual([name, expect.stringMatching(/^continue/)]);
		}
	});

	test('the example has an ID and a name for each node, and no overlapping nodes', () => {
		expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(workflow.nodes.length);
		expect(new Set(workflow.nodes.map(({ name }) => name)).size).toBe(workflow.nodes.length);
		const places = others.map(({ position }) => position as [number, number]);
		const overlapping = places.flatMap(([x, y], index) =>
			places.slice(index + 1).filter(([a, b]) => Math.abs(a - x) < 120 && Math.abs(b - y) < 120),
		);
		expect(overlapping).toEqual([]);
	});
});
