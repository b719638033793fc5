/**
 * How each service differs from the interface that docs/openapi.yaml describes, as far as anything public shows it. What nothing shows
 * is no difference here, such as `with` at CleverApp, OneBot and JetBot, or where WatBot reads the values of a new item: for that, set a
 * way of dialect.ts by hand.
 *
 * The mark of a difference says how sure it is: V, a page of the service; I, a reference that integrators wrote; U, seen in public
 * programs; L, an answer of the service that is public; 1×, seen only once. Letters name the programs. At WatBot, A1 is a food shop and
 * N has lists as its database. At LEADTEX, A2 is for broadcasts, A3 is a landing page, and C and C2 show people their balance.
 */

import { dialectOf, type Dialect } from './dialect';

export interface Difference {
	way: Partial<Dialect>;
	mark: 'V' | 'I' | 'U' | 'L' | 'L, 1×';
	/** Letters of programs. */
	from?: string;
}

export const SERVICES: Readonly<Record<string, Difference[]>> = {
	watbot: [
		{ way: { with: 'ignored' }, mark: 'L', from: 'A1' },
		{ way: { itemPages: 'upTo500' }, mark: 'L', from: 'N' },
		{ way: { newList: 'ofBot' }, mark: 'I' },
		{ way: { updatedItem: 'ofList' }, mark: 'I' },
	],
	cleverapp: [],
	onebot: [{ way: { variables: 'nested' }, mark: 'V' }],
	jetbot: [{ way: { newVariable: 'deletable' }, mark: 'V' }],
	leadtex: [
		{ way: { filters: 'inQuery' }, mark: 'U', from: 'C, C2' },
		{ way: { variables: 'nested' }, mark: 'I', from: 'A2' },
		{ way: { answers: 'wrapped' }, mark: 'I' },
		{ way: { changes: 'answered' }, mark: 'I' },
		{ way: { newTag: 'created' }, mark: 'I' },
		{ way: { newList: 'inMenu' }, mark: 'I' },
		{ way: { header: 'ignored' }, mark: 'L, 1×', from: 'A3' },
	],
};

/**
 * @param service by its name in SERVICES; undefined for the interface itself
 * @param changes further differences
 */
export function dialectOfService(service: string | undefined, changes: Partial<Dialect> = {}): Dialect {
	const names = Object.keys(SERVICES);
	if (service !== undefined && !names.includes(service))
		throw new Error(`no such service: ${JSON.stringify(service)}; there are ${names.join(', ')}`);
	const ways = service === undefined ? [] : SERVICES[service]!.map(({ way }) => way);
	return dialectOf(Object.assign({}, ...ways, changes) as Partial<Dialect>);
}
