import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Field } from '../../nodes/ChatbotService/resources/operation';

/* The words of the node as they are now, so that no test depends on a label. */

/** @param title for example 'tag/attach' */
export function wordsOf(title: string): {
	label: string;
	unknown: string | undefined;
	fieldAt: (path: string) => Field;
} {
	const found = findOperation(...(title.split('/') as [string, string]));
	if (!found) throw new Error(`The node has no operation ${title}`);
	const { option, advice, fields } = found;
	return {
		label: option.name,
		unknown: advice?.unknown,
		fieldAt(path) {
			const [first, ...inner] = path.split('.');
			const [field] = inner.reduce(
				(outer, name) => outer.flatMap(insideOf).filter((each) => each.name === name),
				fields.filter((each) => each.name === first),
			);
			if (!field) throw new Error(`The node has no field ${path}`);
			return field;
		},
	};
}

/** The label of a field: @param path its name, or 'options.sendOncePer' for one in a collection */
export const labelOf = (title: string, path: string): string => wordsOf(title).fieldAt(path).displayName;

const insideOf = ({ options = [] }: INodeProperties): Field[] =>
	(options as Array<INodeProperties | INodePropertyCollection>).flatMap((each) =>
		'values' in each ? (each.values as Field[]) : [each as Field],
	);
