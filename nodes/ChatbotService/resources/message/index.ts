import type { Resource } from '../operation';
import { messageSend } from './send';
import { messageSendToWhatsApp } from './sendToWhatsApp';

export const message: Resource = {
	option: { name: 'Message', value: 'message' },
	operations: [messageSend, messageSendToWhatsApp],
	defaultOperation: messageSend,
};
