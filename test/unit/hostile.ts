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

const revoked = () => {
	const { proxy: made, revoke } = Proxy.revocable([], {});
	revoke();
	return made;
};

const withGetter = (name: string | symbol, target: object = {}) =>
	Object.defineProperty(target, name, { get: lost, enumerable: true, configurable: true });

export const hostile: Array<[string, () => unknown]> = [
	['a proxy', proxy],
	['a revoked proxy', revoked],
	['a list with a proxy in it', () => [proxy()]],
	['a getter that throws', () => withGetter('name')],
	['a getter that throws in a list', () => withGetter('0', ['а'])],
	['a locator that throws', () => withGetter('__rl')],
	['a locator whose value throws', () => withGetter('value', { __rl: true, mode: 'name' })],
	['a toJSON that throws', () => ({ toJSON: lost })],
	['a name that cannot be read', () => withGetter(Symbol.toStringTag)],
	['an object that cannot become a primitive', () => ({ toString: 5, valueOf: 5 })],
	['an object of no class', () => Object.create(null) as unknown],
	['a symbol', () => Symbol('с')],
	['a list that ends nowhere', () => withGetter('length')],
	// They throw something other than an error, or that is thrown itself.
	['nothing', () => ({ toJSON: throwing(undefined) })],
	['what throws when its message is read', () => ({ toJSON: throwing(withGetter('message')) })],
	['a thrown revoked proxy', () => ({ toJSON: throwing(revoked()) })],
];
