import type { IDataObject } from 'n8n-workflow';

import { hasFailed, isDone, type Failed, type Left, type Result } from '../../client/failure/result';
import { counted, durationOf } from '../../shared/counted';
import { isEmpty } from '../../shared/values';
import { contactVariableGetAll } from '../contactVariable/getAll';
import { contactId } from '../fields';
import type { Operation, Requests } from '../operation';
import { requestFor } from '../operationRequest';
import { tagGetManyByContact } from '../tag/getManyByContact';
import { shapeOf } from './shape';

/*
 * Tags and variables of contacts. LEADTEX returns both with the contacts if it is asked for them, WatBot only the variables. What a
 * service leaves out is requested for each contact.
 */

const singly: Record<string, Operation> = { tags: tagGetManyByContact, variables: contactVariableGetAll };

/** Requests at the same time, so that slow answers do not slow the account down. Few of them are in vain when enough is found. */
const mostAhead = 3;

/** How often n8n's log says how far it is. A shorter wait needs no line. */
const tellEveryMs = 30_000;

/** Contacts of which some may lack parts. */
export class Incomplete {
	/** Contacts that lack a part. */
	readonly lacking: number;
	/** Parts that some of them lack. */
	readonly missing: string[];
	/** Contacts that were asked for. */
	private asked = 0;
	/** Contacts that have been deleted since they were read. */
	private gone = 0;
	private readonly startedAt = performance.now();
	private toldAt = this.startedAt;

	/** @param parts that are needed: `tags`, `variables` */
	constructor(
		private readonly requests: Requests,
		private readonly contacts: IDataObject[],
		parts: string[],
	) {
		this.missing = parts.filter((part) => contacts.some((contact) => contact[part] === undefined));
		this.lacking = contacts.filter((contact) => this.lacks(contact)).length;
	}

	private get names(): string {
		return this.missing.join(' and ');
	}

	/**
	 * Completes the contacts in their order.
	 *
	 * @param most number of contacts that are enough
	 * @param isWanted of a contact that was completed; a failure if no contact can be returned
	 * @returns the contacts that are wanted
	 */
	async complete(most: number, isWanted: (contact: IDataObject) => boolean | Failed): Promise<Result | Left> {
		if (this.leftMs >= tellEveryMs)
			this.tell(`The node requests those of ${this.lacking} contacts one by one`);
		const found: IDataObject[] = [];
		let count = 0;
		let end: Failed | Left | undefined;
		const rest = this.contacts.entries();
		const next = async () => {
			for (const [index, contact] of rest) {
				if (end || count >= most) return;
				const isWhole = !this.lacks(contact);
				const whole = isWhole ? { rows: [contact] } : await this.completed(contact);
				if (!isDone(whole)) return void (end ??= whole);
				for (const row of whole.rows) {
					const decision = isWhole || isWanted(row);
					if (typeof decision === 'object') return void (end ??= decision);
					if (!decision) continue;
					found[index] = row;
					count++;
				}
			}
		};
		await Promise.all(Array.from({ length: mostAhead }, next));
		return end ?? { rows: Object.values(found).slice(0, most) };
	}

	/** What the user should know; undefined if the service has returned the contacts whole. */
	get notice(): string | undefined {
		const { asked, gone, names } = this;
		if (!asked) return undefined;
		const took = durationOf(performance.now() - this.startedAt);
		// Items with one contact each have the same notice.
		const duration = asked > 1 ? ` (${took})` : '';
		return [
			`This service returns contacts without ${names}, so the node asked for the ${names} of ${counted(asked, 'contact')} one by one${duration}.`,
			names === 'tags' && 'A variable in place of a tag needs no extra request.',
			gone > 0 && `${counted(gone, 'contact')} had been deleted meanwhile.`,
		]
			.filter(Boolean)
			.join(' ');
	}

	/** How long the rest takes at the account's pace. */
	private get leftMs(): number {
		return this.requests.msFor((this.lacking - this.asked) * this.missing.length);
	}

	private lacks(contact: IDataObject): boolean {
		return this.missing.some((part) => contact[part] === undefined);
	}

	/** @returns no row for a contact that has been deleted */
	private async completed(contact: IDataObject): Promise<Result | Left> {
		// Without an ID, nobody can be asked for.
		if (isEmpty(contact.id)) return { rows: [contact] };
		const whole: IDataObject = { ...contact };
		for (const part of this.missing) {
			const rows: IDataObject[] = [];
			for await (const page of this.requests.read(requestFor(singly[part]!, [contactId, contact.id]))) {
				if (hasFailed(page) && this.isGone(page)) {
					this.asked++;
					this.gone++;
					return { rows: [] };
				}
				if (!isDone(page)) return page;
				rows.push(...page.rows);
			}
			whole[part] = rows;
		}
		this.asked++;
		if (performance.now() - this.toldAt >= tellEveryMs)
			this.tell(`Those of ${this.asked} of ${this.lacking} contacts are read`);
		return { rows: [shapeOf(whole)] };
	}

	/** Without another answer, a service that does not name what it has not found may lack the endpoint. */
	private isGone({ failure: { status, concerns } }: Failed): boolean {
		return status === 404 && (concerns === undefined || (concerns === 'endpoint' && this.asked > this.gone));
	}

	private tell(text: string) {
		this.toldAt = performance.now();
		this.requests.say(
			`This service returns contacts without ${this.names}. ${text}; about ${durationOf(this.leftMs)} left`,
		);
	}
}
