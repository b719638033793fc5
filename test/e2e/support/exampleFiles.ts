import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NodeHelpers, type INode, type INodeParameters, type INodeTypeDescription } from 'n8n-workflow';

import { packageName, projectFolder, type WorkflowData, type WorkflowNode } from '../../../sandbox/host';
import { examplesFolder } from '../../../sandbox/start/examples';

/** An example as stored in its file. */
export interface ExampleFile {
	file: string;
	text: string;
	workflow: WorkflowData;
}

/** The same examples, whose notes are in Russian. */
export const russianExamplesFolder = join(projectFolder, 'docs/ru/examples');

/** All examples by file name. */
export const exampleFiles = (folder = examplesFolder): ExampleFile[] =>
	readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.sort()
		.map((file) => {
			const text = readFileSync(join(folder, file), 'utf8');
			return { file, text, workflow: JSON.parse(text) as WorkflowData };
		});

/** The part of the README about an example, under the heading that names its file. */
export const sectionOf = (file: string): string =>
	readFileSync(join(examplesFolder, 'README.md'), 'utf8')
		.split(/^(?=## )/m)
		.find((section) => section.split('\n', 1)[0]!.includes(`\`${file}\``)) ?? '';

export const isNote = ({ type }: WorkflowNode) => type === 'n8n-nodes-base.stickyNote';

/** Whether a node belongs to this package, as a node or as a tool of an AI agent. */
export const isOurs = ({ type }: WorkflowNode) =>
	[`${packageName}.chatbotService`, `${packageName}.chatbotServiceTool`].includes(type);

/** The bold texts, which is how notes and README name the nodes. */
export const boldIn = (markdown: string): string[] =>
	[...markdown.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words]) => words!.replace(/\s+/g, ' '));

/** The description that n8n has for a node of that type and version. */
export function descriptionOf(
	{ type, typeVersion }: WorkflowNode,
	known: INodeTypeDescription[],
): INodeTypeDescription | undefined {
	return known.find(({ name, version }) => name === type && [version].flat().includes(typeVersion as number));
}

/** The parameters that n8n keeps when the workflow is opened: those it knows and shows. */
export const keptParameters = (node: WorkflowNode, description: INodeTypeDescription): INodeParameters =>
	NodeHelpers.getNodeParameters(
		description.properties,
		node.parameters as INodeParameters,
		true,
		false,
		node as unknown as INode,
		description,
	) ?? {};

/** What n8n flags in red on the canvas, by parameter. */
export const issuesOf = (node: WorkflowNode, description: INodeTypeDescription): Record<string, string[]> =>
	NodeHelpers.getNodeParametersIssues(description.properties, node as unknown as INode, description)
		?.parameters ?? {};
