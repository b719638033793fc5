import { namesIn } from './entries';

interface Hold {
	free: Promise<void>;
	end: () => void;
	isAwaited: boolean;
}

/** Recipients whom a run of this process looks for or has claimed: its other runs wait until they are free. */
export class Held {
	private readonly holds = new Map<string, Hold>();

	/** Holds a recipient, who must be free. */
	hold(key: string) {
		let end = () => {};
		const free = new Promise<void>((resolve) => (end = resolve));
		for (const name of namesIn(key)) this.holds.set(name, { free, end, isAwaited: false });
	}

	free(key: string) {
		for (const name of namesIn(key)) {
			this.holds.get(name)?.end();
			this.holds.delete(name);
		}
	}

	/** Ends when a recipient is free; undefined where it is. */
	whenFree(key: string): Promise<void> | undefined {
		const [hold] = this.holdsOf(key);
		if (!hold) return undefined;
		hold.isAwaited = true;
		return hold.free;
	}

	/** Whether a run waits until a recipient is free. */
	isAwaited(key: string): boolean {
		return this.holdsOf(key).some((hold) => hold.isAwaited);
	}

	private holdsOf(key: string): Hold[] {
		return namesIn(key).flatMap((name) => this.holds.get(name) ?? []);
	}
}
