import { contactId } from '../fields';
import { messageOptions } from './options';
import { messageSend } from './send';

/* What the editor warns of before a broadcast, and the run says again after it. */

const { field: testRun } = messageSend.broadcast!.ofRun.testRun;

/** For somebody who tries a broadcast on themselves. */
export const toOneRecipient = `All items go to the same contact, because the recipient does not come from the input. Drag a field of the input there, for example 'id' into '${contactId.displayName}'. To try the run on yourself first, add '${testRun.displayName}' under '${messageOptions.displayName}'.`;

/** The service fills in placeholders of its own, so the node does not refuse others. */
export const withPlaceholder = {
	found: /\{\{[^{}]*\}/,
	warning: `The message contains {{ }} in a Fixed field: the service gets it as written. For a value of the item, such as the contact's name, drag 'name' from the input into the field.`,
};
