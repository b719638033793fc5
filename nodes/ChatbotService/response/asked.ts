import type { Question } from '../resources/question';

/** A question as an execution keeps it while it waits: with everything that its page shows. */
export interface Asked extends Omit<Question, 'waitLimit'> {
	/** Random. The link contains it, so that no link answers another question. */
	id: string;
	/** The question, as the message contains it. */
	text: string;
}
