/** A skeleton of the console, shown while its code loads. The server also writes it into its HTML. */
export const ConsoleFrame = () => (
  <div className="inside-shell" aria-busy="true">
    <div className="side side-fixed" />
    <div className="inside-main">
      <div className="top" />
      <div className="inside-content">
        <span className="placeholder bone-title" />
        <span className="placeholder bone-block" />
      </div>
    </div>
  </div>
)
