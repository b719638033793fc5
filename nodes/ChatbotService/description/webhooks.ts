import type { IWebhookDescription } from 'n8n-workflow';

import { messageSendAndWait } from '../resources/message/sendAndWait';

/** A link to a waiting execution: it opens the page of the question and receives the answer. */
const link: Omit<IWebhookDescription, 'httpMethod'> = {
	name: 'default',
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
};

/** n8n offers a node with webhooks and the operation `sendAndWait` for human review of an AI agent's tools. */
export const webhooks = ['GET', 'POST'].map((httpMethod) => ({
	...link,
	httpMethod,
})) as IWebhookDescription[];

/** Shown on the canvas while the execution waits. */
export const waitingNodeTooltip = `={{ $parameter["operation"] === "${messageSendAndWait.option.value}" ? "The execution continues when the person answers" : "" }}`;
