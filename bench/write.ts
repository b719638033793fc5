/* How figures are written in Markdown. */

import { spreadOf } from './figures';
import type { Busy, Machine } from './machine';

export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** The median of the values, with the lowest and the highest if they differ. */
export function write(figure: string, values: number[]): string {
	const one = (value: number) => {
		if (figure === 'share') return percent(value);
		if (figure.endsWith('Ratio')) return value.toFixed(2);
		return String(Math.round(value));
	};
	const { median, min, max } = spreadOf(values);
	return one(min) === one(max) ? one(median) : `${one(median)} [${one(min)}–${one(max)}]`;
}

export const busyText = ({ share, load }: Busy) =>
	`Others kept ${Math.round(share * 100)} % of the machine busy before (load ${load.toFixed(1)}).`;

export const machineText = ({ n8n, n8nCore, node, system, cores, processor, memoryGb }: Machine) =>
	`n8n ${n8n} (n8n-core ${n8nCore}) on Node.js ${node}, ${system}, ${cores} cores (${processor}), ${memoryGb} GB.`;
