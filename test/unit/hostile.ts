/*
 * Values that throw or have side effects when they are read. An expression may return any of them, and so may code that wrote an
 * item's data.
 */

const throwing = (thrown: unknown) => () => {
	throw thrown;
};

const lost = throwing(new Error('lost'));

const proxy = () => {
	const traps = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'isExtensible'];
	return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, lost])));
};

const withGetter = (name: string | symbol, target: object = {}) =>
	Object.defineProperty(target, name, { get: lost, enumerable: true, configurable: true });

export const hostile: Array<[string, () => unknown]> = [
	['a proxy', proxy],
	['a getter that throws', () => withGetter('name')],
	['a locator whose value throws', () => withGetter('value', { __rl: true, mode: 'name' })],
	['a toJSON that throws', () => ({ toJSON: lost })],
	['an object that cannot become a primitive', () => ({ toString: 5, valueOf: 5 })],
	['a symbol', () => Symbol('с')],
	['a list that ends nowhere', () => withGetter('length')],
	// They throw something other than an error, or that is thrown itself.
	['nothing', () => ({ toJSON: throwing(undefined) })],
	['what throws when its message is read', () => ({ toJSON: throwing(withGetter('message')) })],
];
