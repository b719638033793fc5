/** How a person answers: with one of two buttons, the second of which is optional, or with a text. */
export type AnswerForm =
	{ type: 'approval'; approve: string; decline: string | undefined } | { type: 'freeText'; submit: string };

/** How long an execution waits for an answer: milliseconds, or a point in time. */
export type WaitLimit = number | Date;

export interface Question {
	/** Heading of the page; empty for none. */
	title: string;
	/** Text below the question; empty for none. */
	description: string;
	form: AnswerForm;
	/** Characters that one message can have. */
	longest: number;
	/** Undefined if the execution waits without a limit. */
	waitLimit: WaitLimit | undefined;
}
