import { byTitle as named, variants, type Variant } from '../operations';
import type { EditorState, Place } from '../operations/operation';

/* The node as a person sees it: what the editor shows and requires for each set of choices. */

export interface State extends EditorState {
	/** The operation and the choices. */
	title: string;
	resource: string;
	operation: string;
	/** Where its parameters travel. */
	place: Place;
	/** The visible notice. */
	notice: string | undefined;
}

export const states: State[] = variants.flatMap((variant) =>
	statesOf(variant).map((state) => {
		const { title, resource, operation, place } = variant.of;
		const chosen = Object.entries(state.choices).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
		return {
			...state,
			title: [title, ...chosen].join(', '),
			resource,
			operation,
			place,
			notice: variant.notice,
		};
	}),
);

export const byTitle = named(states);

/** What follows from the fields; 'Limit' is visible only when 'Return All' is off. */
function statesOf({ fields, states }: Variant): EditorState[] {
	if (states) return states;
	const choices = Object.fromEntries(
		fields.filter(({ decides }) => decides).map(({ name, value }) => [name, value]),
	) as EditorState['choices'];
	const state: EditorState = {
		choices,
		shown: [...new Set(fields.map(({ name }) => parameterOf(name)))],
		required: fields
			.filter(({ required, flagged = required }) => flagged)
			.map(({ name }) => parameterOf(name)),
	};
	if (!('returnAll' in choices)) return [state];
	const shown = state.shown.filter((name) => name !== 'limit');
	return [state, { ...state, choices: { ...choices, returnAll: true }, shown }];
}

/** The parameter that is the field or contains it. */
function parameterOf(path: string): string {
	return path.split('.')[0]!;
}
