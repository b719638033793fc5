/* The chart of README.md: how many messages each contender delivered once, lost, or delivered more than once. */

import { init } from 'echarts';

import { spreadOf } from './figures';
import type { Column, Row } from './row';

/** The row that the chart shows: the conditions in which limits alone are not enough. */
export const chartRow = (rows: Row[]): Row | undefined => rows.find(({ name }) => name === 'late');

interface Colours {
	background: string;
	text: string;
	muted: string;
	once: string;
	lost: string;
	doubled: string;
}

export const themes = {
	light: {
		background: '#ffffff',
		text: '#1f2328',
		muted: '#59636e',
		once: '#0969da',
		lost: '#cf222e',
		doubled: '#9a6700',
	},
	dark: {
		background: '#0d1117',
		text: '#f0f6fc',
		muted: '#9198a1',
		once: '#1f6feb',
		lost: '#da3633',
		doubled: '#9e6a03',
	},
} satisfies Record<string, Colours>;

export type Theme = keyof typeof themes;

const outcomes = [
	['once', 'delivered once'],
	['lost', 'lost'],
	['doubled', 'delivered more than once'],
] as const satisfies Array<[Column, string]>;

const font = 'Helvetica, Arial, sans-serif';

export function drawChart({ messages, lines }: Row, theme: Theme): string {
	const colours = themes[theme];
	const height = 112 + 40 * lines.length;
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: 800, height });
	chart.setOption({
		animation: false,
		backgroundColor: colours.background,
		textStyle: { fontFamily: font },
		title: {
			text: `${messages} messages, at a limit of 2 per second`,
			subtext:
				'The service counts requests 0 to 150 ms late. Median of three runs, or one run with Retry On Fail. With an emulator.',
			left: 16,
			top: 10,
			textStyle: { fontSize: 18, color: colours.text },
			subtextStyle: { fontSize: 13, color: colours.muted },
		},
		legend: {
			bottom: 10,
			left: 12,
			itemWidth: 14,
			itemHeight: 14,
			itemGap: 20,
			textStyle: { fontSize: 14, color: colours.text },
			selectedMode: false,
		},
		grid: { left: 228, right: 32, top: 66, bottom: 40 },
		xAxis: { type: 'value', max: messages, show: false },
		yAxis: {
			type: 'category',
			inverse: true,
			data: lines.map(({ contender }, index) => ({
				value: index ? contender.replace(', Retry', ',\nRetry') : `${contender} (this node)`,
				textStyle: index ? { color: colours.text } : { color: colours.text, fontWeight: 'bold' },
			})),
			axisLine: { show: false },
			axisTick: { show: false },
			axisLabel: { fontSize: 14, margin: 10 },
		},
		series: outcomes.map(([column, name]) => ({
			name,
			type: 'bar',
			stack: 'messages',
			barWidth: 26,
			silent: true,
			itemStyle: { color: colours[column] },
			label: { show: true, color: '#ffffff', fontSize: 14, fontWeight: 'bold', textBorderWidth: 0 },
			data: lines.map(({ figures }) => {
				const value = spreadOf(figures[column]!).median;
				// A number does not fit into a bar of a few messages.
				const label = value < messages / 50 && { position: 'right', color: colours.text };
				return value ? { value, label } : null;
			}),
		})),
	});
	const svg = chart.renderToSVGString();
	chart.dispose();
	return `${withoutTraces(svg)}\n`;
}

/** Removes what only a page with scripts needs, and the names whose numbers continue from chart to chart. */
const withoutTraces = (svg: string) =>
	svg.replace(/<style[^]*?<\/style>\s*/g, '').replace(/ (?:class|ecmeta_\w+)="[^"]*"/g, '');
