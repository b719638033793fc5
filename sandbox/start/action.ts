/** One action of the example at the service. */
export interface Action {
	time: Date;
	/** The name of the operation in the API. */
	operation: string;
	/** The contact's ID, or the phone number. */
	recipient: string;
	/** The sent values by parameter, if they are known. */
	values?: Record<string, string>;
	/** The action, for the reader of the table. */
	summary: string;
	/** Whether the service accepted it. */
	accepted: boolean;
	/** The service's answer, for the reader of the table. */
	answer: string;
}

/** A lead that ended on the error branch. */
export interface FailedLead {
	name: string;
	recipient: string;
	reason: string;
}

/** The results of one run of the example. */
export interface Outcome {
	status: string;
	actions: Action[];
	failed: FailedLead[];
}
