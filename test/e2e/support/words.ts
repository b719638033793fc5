import { ChatbotServiceApi } from '../../../credentials/ChatbotServiceApi.credentials';
import { notFound } from '../../../nodes/ChatbotService/client/failure';
import { expectedBy } from '../../../nodes/ChatbotService/resources/operation';
import { wordsOf } from '../../operations/words';

/** What the test of the credential says when the service answers with this status. */
export const wordsOfStatus = (status: number): string =>
	new ChatbotServiceApi().test.rules!.find(({ properties }) => properties.value === status)!.properties
		.message;

/** What the node says when the service does not know what a field names. @param title for example 'tag/attach' */
export const unknownBy = (title: string, path: string): string =>
	notFound(404, expectedBy(wordsOf(title).fieldAt(path))).message;
