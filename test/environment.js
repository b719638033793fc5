/*
 * Tests run in the realm of their process, as n8n runs nodes: an `Error` or `Date` of n8n's packages is one of the test, too. So a
 * worker of Jest can load these packages once for all of its test files (loadedOnce.js), which saves each of them a second. The
 * project's own modules are new in each file. What a file changes in the packages of n8n, it has to change back.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// Jest compiles a module in the context of its environment. Node.js has no object for the context of the process. In this one context,
// each file of a worker can use what is compiled: the functions of a module are new whenever it is evaluated.
const { compileFunction } = vm;
const compiled = new Map();
vm.compileFunction = (code, parameters, { parsingContext, ...options }) => {
	if (parsingContext !== globalThis) return compileFunction(code, parameters, { ...options, parsingContext });
	const known = compiled.get(options.filename);
	if (known?.code === code) return known.run;
	const run = compileFunction(code, parameters, options);
	compiled.set(options.filename, { code, run });
	return run;
};

// Jest has one of these in each test file, and does not end it. Each promise of all later files would be slower by every one of them.
const { run } = AsyncLocalStorage.prototype;
const storages = new Set();
AsyncLocalStorage.prototype.run = function (...given) {
	storages.add(this);
	return run.apply(this, given);
};

module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.before = Object.getOwnPropertyDescriptors(globalThis);
		this.exit = process.exit;
		this.global = globalThis;
		globalThis.requireOnce = require;
		const ModuleMocker = this.moduleMocker.constructor;
		this.moduleMocker = new ModuleMocker(globalThis);
		const FakeTimers = this.fakeTimersModern.constructor;
		this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
	}

	getVmContext() {
		return globalThis;
	}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		await super.teardown();
		for (const storage of storages) storage.disable();
		storages.clear();
		process.exit = this.exit;
		for (const key of Reflect.ownKeys(globalThis))
			if (!(key in this.before)) Reflect.deleteProperty(globalThis, key);
		Object.defineProperties(globalThis, this.before);
	}
};

// A worker with a gigabyte of memory takes longer to end than Jest waits for it on a busy machine, and reports a failure.
if (process.send) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
