import type { WorkflowNode } from '../../sandbox/host';
import { boldIn, exampleFiles, isNote, russianExamplesFolder } from '../e2e/support/exampleFiles';

/*
 * The Russian examples are the English ones with other notes. After a change of an English example, make the same change in
 * docs/ru/examples; the difference that a test reports is what is missing.
 */

const english = exampleFiles();
const russian = new Map(exampleFiles(russianExamplesFolder).map((each) => [each.file, each]));

test('every example is there with Russian notes', () => {
	expect([...russian.keys()]).toEqual(english.map(({ file }) => file));
});

describe.each(english.map((each) => [each.file, each.workflow] as const))('%s', (file, workflow) => {
	const translation = russian.get(file)!.workflow;
	const notes = translation.nodes.filter(isNote);

	test('the Russian example differs from the English one only in the text and the height of its notes', () => {
		expect({ ...translation, nodes: translation.nodes.map(withoutText) }).toEqual({
			...workflow,
			nodes: workflow.nodes.map(withoutText),
		});
	});

	test('every line of the Russian notes is Russian, apart from code', () => {
		const lines = notes.flatMap(({ parameters }) =>
			String(parameters.content)
				.split('\n')
				.filter((line) => line !== '' && !/^`.*`$/.test(line)),
		);
		expect(lines.filter((line) => !isRussian(line))).toEqual([]);
	});

	test('the Russian notes name the same nodes as the English ones', () => {
		const nodes = new Set(workflow.nodes.map(({ name }) => name));
		const named = (node: WorkflowNode) =>
			boldIn(String(node.parameters.content))
				.filter((words) => nodes.has(words))
				.sort();
		for (const note of workflow.nodes.filter(isNote)) {
			const translated = notes.find(({ id }) => id === note.id)!;
			expect([note.name, new Set(named(translated))]).toEqual([note.name, new Set(named(note))]);
		}
	});
});

function withoutText(node: WorkflowNode): WorkflowNode {
	if (!isNote(node)) return node;
	const { content: _content, height: _height, ...rest } = node.parameters;
	return { ...node, parameters: rest };
}

/** More Cyrillic letters than Latin ones, outside code, names of nodes and words of the editor. */
function isRussian(line: string): boolean {
	const prose = line.replace(/`[^`]*`|\*\*[^*]*\*\*|\*[^*]*\*/g, '');
	const count = (letters: RegExp) => prose.match(letters)?.length ?? 0;
	return count(/[а-яё]/gi) > count(/[a-z]/gi) || count(/[a-z]/gi) === 0;
}
