import type { IWebhookDescription } from 'n8n-workflow';

import { messageSendAndWait } from '../resources/message/sendAndWait';

/** A link to a waiting execution: it opens the page of the question, and takes the answer. */
const link: Omit<IWebhookDescription, 'httpMethod'> = {
	name: 'default',
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
};

/** n8n makes a human review for AI agents of a node with webhooks and the operation `sendAndWait`. */
export const webhooks = ['GET', 'POST'].map((httpMethod) => ({
	...link,
	httpMethod,
})) as IWebhookDescription[];

/** What the canvas shows at a node whose execution waits. */
export const waitingNodeTooltip = `={{ $parameter["operation"] === "${messageSendAndWait.option.value}" ? "The execution continues when the person has answered" : "" }}`;
