/** The part of WebAssembly that is used here: the types of Node have none of it. */
declare namespace WebAssembly {
  interface Module {
    readonly __module: never
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
