// The precompiled header needs a target that owns it.
