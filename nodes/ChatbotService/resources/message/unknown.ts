/** Said where nobody knows whether the service has sent a message. Workflows ask for its beginning, so that stays. */
export const unknownMessage =
	'The message may have been sent, so the node did not send it again. Check the chat first.';
