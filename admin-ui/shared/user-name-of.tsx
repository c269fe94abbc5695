/** Tells password managers whose password a form is about (HTML, autofill field `username`). */
export const UserNameOf = ({ email }: { readonly email: string }) => (
  <input className="visually-hidden" type="email" name="username" autoComplete="username" defaultValue={email} hidden />
)
