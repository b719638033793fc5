import type { Account } from '../account';
import type { Clock } from './clock';
import { Turns } from './scheduler';

/**
 * The turns of each account, which all runs, lists and workflows of this process share. An account is forgotten once nothing that
 * was learned of it matters any more, so that a process which sees ever new tokens does not grow.
 */
export class TurnsByAccount {
	private readonly known = new Map<string, Turns>();

	constructor(private readonly clock?: Clock) {}

	/** To be asked for each request anew, since an account may be forgotten in between. */
	of(account: Pick<Account, 'key'>): Turns {
		const known = this.known.get(account.key);
		if (known) return known;
		for (const [key, turns] of this.known) {
			if (turns.isLikeNew) this.known.delete(key);
		}
		const turns = new Turns(this.clock);
		this.known.set(account.key, turns);
		return turns;
	}
}

const turnsByAccount = new TurnsByAccount();

export const turnsOf = (account: Pick<Account, 'key'>): Turns => turnsByAccount.of(account);
