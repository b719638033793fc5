/* n8n finds the node and the credential through the "n8n" part of package.json; this is for code that requires the package. */
module.exports = {
	...require('./dist/nodes/ChatbotService/ChatbotService.node.js'),
	...require('./dist/credentials/ChatbotServiceApi.credentials.js'),
};
