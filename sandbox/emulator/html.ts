/** The HTML that a client receives instead of JSON: pages of the web application and of the web server in front of it. */

/** The login page to which a request is redirected if it does not ask for JSON. */
export const LOGIN_PAGE = `<!DOCTYPE html>
<html lang="ru">
<head><meta charset="utf-8"><title>Вход в личный кабинет</title></head>
<body><h1>Вход</h1><form method="post" action="/login"><button type="submit">Войти</button></form></body>
</html>
`;

/** The application's page for an unknown path. */
export const NOT_FOUND_PAGE = `<!DOCTYPE html>
<html lang="ru">
<head><meta charset="utf-8"><title>Не найдено</title></head>
<body><h1>404</h1><p>Страница не найдена</p></body>
</html>
`;

/** The framework's page while it is under maintenance. */
export const MAINTENANCE_PAGE = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Service Unavailable</title></head>
<body><main><strong>503</strong> <span>Service Unavailable</span></main></body>
</html>
`;

/** The web server's own error pages, for example 502 Bad Gateway. */
export function serverPage(title: string): string {
	return [
		'<html>',
		`<head><title>${title}</title></head>`,
		'<body>',
		`<center><h1>${title}</h1></center>`,
		'<hr><center>nginx</center>',
		'</body>',
		'</html>',
		'',
	].join('\r\n');
}
