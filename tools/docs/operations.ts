import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { resources } from '../../nodes/ChatbotService/resources';
import type { Field, Operation } from '../../nodes/ChatbotService/resources/operation';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/** Every operation with its endpoint, its parameters in the order of the editor, and what comes out. */
export function operationsTable(texts: Texts): string {
	const rows = resources.flatMap(({ option: { name: resource }, operations }) =>
		operations.map((operation, index) => {
			const { name, routing } = operation.option;
			const { method, url } = routing.request;
			return [
				index ? '' : resource,
				name,
				`${method} \`${url.replace('/', '')}\``,
				parametersOf(operation),
				texts.get('operations', 'outputs', operation.asks ? 'asks' : operation.answer),
			];
		}),
	);
	return tableOf(texts.get('operations', 'columns'), rows);
}

/** Fields that replace each other can have the same label. */
function parametersOf({ fields }: Operation): string {
	const shown = fields.filter(({ type }) => type !== 'notice');
	return [...new Set(shown.map(labelOf))].join(', ');
}

function labelOf(field: Field): string {
	const inner = insideOf(field).map(({ displayName }) => displayName);
	return `${field.displayName}${field.required ? '\\*' : ''}${inner.length ? ` (${inner.join(', ')})` : ''}`;
}

function insideOf({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ values }) => values);
}
