/** JSON whose changes can be read line by line, with each list of numbers on one line. */
export const asJson = (value: unknown) => {
	const text = JSON.stringify(value, null, '\t');
	const oneLine = (numbers: string) => numbers.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']');
	return `${text.replace(/\[[\s\d.,e-]*\]/g, oneLine)}\n`;
};
