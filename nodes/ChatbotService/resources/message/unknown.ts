/** Advice after an unknown outcome. Workflows check for its beginning, so that must not change. */
export const unknownMessage =
	'The message may have been sent, so the node did not send it again. Check the chat first.';
