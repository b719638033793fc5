/** What PHP itself prints when display_errors is on: instead of an answer, or before it. */

import { html, type Answer } from './answers';

const FATAL = `Uncaught TypeError: App\\Services\\Tariff::limitOf(): Argument #1 ($account) must be of type App\\Models\\Account, null given, called in /var/www/app/Http/Kernel.php on line 63 and defined in /var/www/app/Services/Tariff.php:41
Stack trace:
#0 /var/www/app/Http/Kernel.php(63): App\\Services\\Tariff->limitOf(NULL)
#1 {main}
  thrown`;

/** PHP has started to answer when it fails, so it can no longer set the status. */
export function fatalError(): Answer {
	return html(printed('Fatal error', FATAL, '/var/www/app/Services/Tariff.php', 41));
}

export function warning(): string {
	return printed('Warning', 'Undefined variable $tariff', '/var/www/app/Http/Kernel.php', 57);
}

/** What is printed first is sent first, and determines the content type. */
export function behind(printed: string, answer: Answer): Answer {
	if (printed === '') return answer;
	const { status, headers, body } = answer;
	return html(printed + body, status, { ...headers, 'content-type': 'text/html; charset=UTF-8' });
}

function printed(level: string, message: string, file: string, line: number): string {
	const escaped = message.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
	return `<br />\n<b>${level}</b>:  ${escaped} in <b>${file}</b> on line <b>${line}</b><br />\n`;
}
