/** Modules that Jest loads from outside of its registry, see environment.js: their place there is a reference. */
module.exports = {
	process: (_code, path) => ({ code: `module.exports = requireOnce(${JSON.stringify(path)});` }),
};
