import type { Resource } from '../operation';
import { messageSend } from './send';
import { messageSendAndWait } from './sendAndWait';
import { messageSendToWhatsApp } from './sendToWhatsApp';

export const message: Resource = {
	option: { name: 'Message', value: 'message' },
	operations: [messageSend, messageSendAndWait, messageSendToWhatsApp],
	defaultOperation: messageSend,
};
