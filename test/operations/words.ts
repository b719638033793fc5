import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Field, Operation } from '../../nodes/ChatbotService/resources/operation';

/* The words of the node as they are now, so that no test depends on a label: docs/operations.md lists all of them. */

/** @param title for example 'tag/attach' */
export function wordsOf(title: string): {
	label: string;
	unknown: string | undefined;
	fieldAt: (path: string) => Field;
} {
	const operation = operationAt(title);
	return {
		label: operation.option.name,
		unknown: operation.advice?.unknown,
		fieldAt: (path) => fieldIn(operation, path),
	};
}

/** The label of a field: @param path its name, or 'options.sendOncePer' for one in a collection */
export const labelOf = (title: string, path: string): string => fieldIn(operationAt(title), path).displayName;

const operationAt = (title: string): Operation => {
	const [resource, operation] = title.split('/');
	const found = findOperation(resource, operation);
	if (!found) throw new Error(`The node has no operation ${title}`);
	return found;
};

function fieldIn({ fields }: Operation, path: string): Field {
	const [name, inner] = path.split('.');
	const named = fields.filter((field) => field.name === name);
	const [found] = inner ? named.flatMap(insideOf).filter((field) => field.name === inner) : named;
	if (!found) throw new Error(`The node has no field ${path}`);
	return found;
}

const insideOf = ({ options = [] }: INodeProperties): Field[] =>
	(options as Array<INodeProperties | INodePropertyCollection>).flatMap((each) =>
		'values' in each ? (each.values as Field[]) : [each as Field],
	);
