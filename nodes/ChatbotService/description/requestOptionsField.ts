import type { INodeProperties } from 'n8n-workflow';

/**
 * Request Options, with the names and defaults of n8n. n8n adds them to declarative nodes by itself, but not to nodes with a webhook,
 * and saved workflows use them. Without Batching, because the node paces itself: n8n drops a stored value.
 */
export const requestOptions: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	isNodeSetting: true,
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Ignore SSL Issues (Insecure)',
			name: 'allowUnauthorizedCerts',
			type: 'boolean',
			noDataExpression: true,
			default: false,
			description: 'Whether to connect even if SSL certificate validation is not possible',
		},
		{
			displayName: 'Proxy',
			name: 'proxy',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://proxy.example.com:3128',
			description:
				'HTTP proxy for the requests. It can contain a user name and a password: http://user:password@proxy.example.com:3128.',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10000,
			description:
				'Longest time in milliseconds to wait for a response from the service. Without this option, it is 60000 for a message, and 300000 otherwise.',
		},
	],
};
