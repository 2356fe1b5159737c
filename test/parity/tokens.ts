import { createHmac } from 'node:crypto';

/** A JSON Web Token signed with HS256, or with nothing at all. */
export function webToken(claims: object, secret: string | null): string {
  const parts = [{ alg: secret === null ? 'none' : 'HS256', typ: 'JWT' }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = secret === null ? '' : createHmac('sha256', secret).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

/** The claims of somebody who works in a workspace, good for so many seconds (which may be negative). */
export function claimsFor(workspaceId: string, seconds: number): object {
  const now = Math.floor(Date.now() / 1_000);
  return { role: 'authenticated', workspace_id: workspaceId, iat: now, exp: now + seconds };
}

/** The token with the claims of another one under its own signature. */
export function tampered(token: string, other: string): string {
  const [header = '', , signature = ''] = token.split('.');
  return [header, other.split('.')[1] ?? '', signature].join('.');
}
