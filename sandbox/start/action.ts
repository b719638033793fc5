/** One thing the example did at the service. */
export interface Action {
	time: Date;
	/** By the name the interface gives it. */
	operation: string;
	/** The contact's ID, or the phone number. */
	recipient: string;
	/** What was sent, by parameter, where that is known. */
	values?: Record<string, string>;
	/** What was done, for the person who reads the table. */
	summary: string;
	/** Whether the service took it. */
	accepted: boolean;
	/** The service's answer, for the person who reads the table. */
	answer: string;
}

/** A lead that ended on the error branch. */
export interface FailedLead {
	name: string;
	recipient: string;
	reason: string;
}

/** What came out of one run of the example. */
export interface Outcome {
	status: string;
	actions: Action[];
	failed: FailedLead[];
}
