import { byTitle as named, variants, type Field, type Variant } from '../operations';
import type { EditorState } from '../operations/operation';

/* The node as a person sees it: what the editor shows and requires for each set of choices. */

export interface State extends EditorState {
	/** The operation and the choices. */
	title: string;
	variant: Variant;
}

export const states: State[] = variants.flatMap((variant) =>
	statesOf(variant).map((state) => {
		const chosen = Object.entries(state.choices).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
		return { ...state, title: [variant.of.title, ...chosen].join(', '), variant };
	}),
);

export const byTitle = named(states);

/** What follows from the fields; 'Limit' is visible only when 'Return All' is off. */
function statesOf({ fields, states: own }: Variant): EditorState[] {
	if (own) return own;
	const choices = Object.fromEntries(
		fields.filter(({ decides }) => decides).map(({ name, value }) => [name, value]),
	) as EditorState['choices'];
	const state: EditorState = {
		choices,
		shown: [...new Set(fields.map(parameterOf))],
		required: fields.filter(({ required, flagged = required }) => flagged).map(parameterOf),
	};
	if (!('returnAll' in choices)) return [state];
	const shown = state.shown.filter((name) => name !== 'limit');
	return [state, { ...state, choices: { ...choices, returnAll: true }, shown }];
}

/** The parameter that is the field or contains it. */
function parameterOf({ name }: Field): string {
	return name.split('.')[0]!;
}
