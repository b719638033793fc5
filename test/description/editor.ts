import {
	NodeHelpers,
	Workflow,
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeTypes,
	type NodeParameterValueType,
} from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { byTitle as named, parametersOf, variants, type Field, type Variant } from '../operations';
import type { EditorState } from '../operations/operation';

/* Reads the description like n8n's editor, and says what a person sees there for each set of choices. */

export const nodeType = new ChatbotService();
export const { description } = nodeType;
export const { properties } = description;
/** Without those that the editor shows on the Settings tab, with the texts of n8n. */
export const parameters = properties.filter(({ type, isNodeSetting }) => type !== 'notice' && !isNodeSetting);
export const notices = properties.filter(({ type }) => type === 'notice');

export const nodeWith = (parameters: INodeParameters): INode => ({
	...{ id: 'node', name: 'Chatbot Service', type: 'chatbotService', typeVersion: 1 },
	...{ position: [0, 0], parameters },
});

/** A workflow of one node, for what the editor evaluates. */
export const workflowOf = (node: INode): Workflow => {
	const types = { getByName: () => nodeType, getByNameAndVersion: () => nodeType };
	const nodeTypes = types as unknown as INodeTypes;
	return new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
};

/** The parameters that the editor keeps: those that it shows, with defaults for empty ones. */
export const kept = (parameters: INodeParameters): INodeParameters =>
	NodeHelpers.getNodeParameters(properties, parameters, true, false, nodeWith(parameters), description)!;

/** The hints that the editor shows over these items before a run. */
export function hintsOver(items: IDataObject[], parameters: INodeParameters): string[] {
	const node = nodeWith(kept(parameters));
	const { expression } = workflowOf(node);
	const input = items.map((json) => ({ json }));
	return description.hints!.flatMap(({ displayCondition, message }) => {
		const args = [displayCondition!, null, 0, 0, node.name, input, 'manual', {}] as const;
		const isShown = expression.getParameterValue(...args);
		// The editor warns about others.
		expect(typeof isShown).toBe('boolean');
		return isShown ? [message] : [];
	});
}

export interface State extends EditorState {
	/** The operation and the choices. */
	title: string;
	variant: Variant;
}

/** The parameter that is the field or contains it. */
const parameterOf = ({ name }: Field): string => name.split('.')[0]!;

/** What follows from the fields; 'Limit' is visible only when 'Return All' is off. */
function statesOf({ fields, states: own }: Variant): EditorState[] {
	if (own) return own;
	const choices = Object.fromEntries(
		fields.filter(({ decides }) => decides).map(({ name, value }) => [name, value]),
	) as EditorState['choices'];
	const shown = [...new Set(fields.map(parameterOf))];
	const required = fields.filter(({ required, flagged = required }) => flagged).map(parameterOf);
	const state: EditorState = { choices, shown, required };
	if (!('returnAll' in choices)) return [state];
	const withAll = shown.filter((name) => name !== 'limit');
	return [state, { choices: { ...choices, returnAll: true }, shown: withAll, required }];
}

export const states: State[] = variants.flatMap((variant) =>
	statesOf(variant).map((state) => {
		const chosen = Object.entries(state.choices).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
		return { ...state, title: [variant.of.title, ...chosen].join(', '), variant };
	}),
);

export const byTitle = named(states);

export const chosen = ({ variant: { of }, choices }: State): INodeParameters => ({
	resource: of.resource,
	operation: of.operation,
	...choices,
});

const onDisplay = (values: INodeParameters, all: INodeProperties[]): INodeProperties[] =>
	all.filter((property) => NodeHelpers.displayParameter(values, property, nodeWith(values), description));

/**
 * The visible parameters in the order of the editor, without Resource and Operation.
 *
 * @param values of every parameter that display options depend on; for an open node, the editor also keeps hidden ones
 */
export const shownWith = (values: INodeParameters): INodeProperties[] =>
	onDisplay(values, parameters).filter(({ name }) => name !== 'resource' && name !== 'operation');

/** The visible parameters in a workflow that was saved with these parameters. */
export const shownIn = (parameters: INodeParameters): INodeProperties[] => shownWith(kept(parameters));

export const noticesIn = (parameters: INodeParameters): string[] =>
	onDisplay(kept(parameters), notices).map(({ name }) => name);

/** What n8n flags, by parameter. */
export function flaggedIn(parameters: INodeParameters): string[] {
	const issues = NodeHelpers.getNodeParametersIssues(properties, nodeWith(parameters), description);
	return Object.keys(issues?.parameters ?? {});
}

/** The value of a parameter that a person has cleared. */
export function emptied({ type }: INodeProperties): NodeParameterValueType {
	if (type === 'boolean') return false;
	if (type === 'multiOptions') return [];
	if (type === 'collection' || type === 'fixedCollection') return {};
	if (type === 'resourceLocator') return { __rl: true, mode: 'list', value: '' };
	if (type === 'resourceMapper') return { mappingMode: 'defineBelow', value: null };
	return '';
}

/** The parameters of a state, with the values of the sample. */
export const sampleOf = (each: State): INodeParameters => ({
	...parametersOf(each.variant),
	...chosen(each),
});

/** Every parameter, including those inside collections; `path` is `fields.slug` for an attribute of a row. */
export const everyParameter = (): Array<{ path: string; property: INodeProperties }> =>
	parameters.flatMap((property) => withInner(property, property.name));

function withInner(property: INodeProperties, path: string): ReturnType<typeof everyParameter> {
	const { type, options = [] } = property;
	let inside: INodeProperties[] = [];
	if (type === 'collection') inside = options as INodeProperties[];
	if (type === 'fixedCollection')
		inside = (options as INodePropertyCollection[]).flatMap(({ values }) => values);
	return [{ path, property }, ...inside.flatMap((each) => withInner(each, `${path}.${each.name}`))];
}

export const operationsOf = (resource: string): INodePropertyOptions[] =>
	properties.find(
		({ name, displayOptions }) => name === 'operation' && displayOptions!.show!.resource!.includes(resource),
	)!.options as INodePropertyOptions[];
